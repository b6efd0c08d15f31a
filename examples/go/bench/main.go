// Compare the generated functions with net/url: go run ./bench FILE, which has one URI a line.
package main

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"example.com/uris/uri"
)

var candidates = []struct {
	name    string
	isValid func(text string) bool
}{
	{"uri.Matches", func(text string) bool { return uri.Matches(text) }},
	{"uri.Check", func(text string) bool { return uri.Check(text) == nil }},
	{"uri.Parts", func(text string) bool { parts, ok := uri.Parts(text); return ok && parts.Scheme.End > 0 }},
	{"net/url.Parse", func(text string) bool { u, err := url.Parse(text); return err == nil && u.Scheme != "" }},
}

func main() {
	content, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	best := make([]time.Duration, len(candidates))
	valid := make([]int, len(candidates))
	for round := 0; round < 200; round++ {
		for i, candidate := range candidates {
			start := time.Now()
			valid[i] = 0
			for _, line := range lines {
				if candidate.isValid(line) {
					valid[i]++
				}
			}
			if took := time.Since(start); round == 0 || took < best[i] {
				best[i] = took
			}
		}
	}
	for i, candidate := range candidates {
		each := float64(best[i].Nanoseconds()) / float64(len(lines))
		fmt.Printf("%-13s %6.1f ns a URI, %d of %d valid\n", candidate.name, each, valid[i], len(lines))
	}
}

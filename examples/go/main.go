// Validate the arguments as URIs, and show their hosts.
//
//	mkdir uri && go generate && go run . https://example.org/
package main

import (
	"fmt"
	"os"

	"example.com/uris/uri"
)

//go:generate abnforge export --to code-go --rule URI --part scheme --part userinfo --part host --part port --part path-abempty --part query --part fragment -o uri/uri.go

func main() {
	status := 0
	for _, text := range os.Args[1:] {
		if parts, ok := uri.Parts(text); ok {
			fmt.Printf("%s: valid, host %q\n", text, parts.Host.In(text))
		} else {
			fmt.Printf("%s: %v\n", text, uri.Check(text))
			status = 1
		}
	}
	os.Exit(status)
}

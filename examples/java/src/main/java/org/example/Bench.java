package org.example;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/** Compares the class with java.net.URI on a file with one URI on each line. */
public final class Bench {
    private static final int ROUNDS = 25;

    private Bench() {}

    /** Runs the benchmark: {@code java -cp target/classes org.example.Bench uris.txt}. */
    public static void main(String[] arguments) throws IOException {
        List<String> lines = Files.readAllLines(Path.of(arguments[0]));
        Map<String, ToIntFunction<String>> functions = new LinkedHashMap<>();
        functions.put("matches", text -> Uri.matches(text) ? 1 : 0);
        functions.put("check", text -> Uri.check(text).isEmpty() ? 1 : 0);
        functions.put("parts", text -> Uri.parts(text).isPresent() ? 1 : 0);
        functions.put("parts, text of the host", Bench::host);
        functions.put("java.net.URI, text of the host", Bench::uriHost);
        Map<String, Double> best = new LinkedHashMap<>();
        long sum = 0; // a result that is used, so that no compiler omits the calls
        for (int round = 0; round < ROUNDS; round++) {
            for (Map.Entry<String, ToIntFunction<String>> each : functions.entrySet()) {
                ToIntFunction<String> function = each.getValue();
                long started = System.nanoTime();
                for (String line : lines) {
                    sum += function.applyAsInt(line);
                }
                double time = (System.nanoTime() - started) / (double) lines.size();
                best.merge(each.getKey(), time, Math::min);
            }
        }
        best.forEach((name, time) -> System.out.printf("%-32s%6.0f ns%n", name, time));
        System.err.println("sum of results: " + sum);
    }

    private static int host(String text) {
        return Uri.parts(text).map(parts -> parts.get(Uri.Part.HOST)).map(String::length).orElse(0);
    }

    private static int uriHost(String text) {
        try {
            String host = new URI(text).getHost();
            return host == null ? 0 : host.length();
        } catch (URISyntaxException error) {
            return 0;
        }
    }
}

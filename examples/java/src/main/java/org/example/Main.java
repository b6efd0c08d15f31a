package org.example;

import java.util.Optional;

/** Validates the arguments as URIs, and prints their hosts. */
public final class Main {
    private Main() {}

    /** Runs the program: {@code java -cp target/classes org.example.Main https://example.org/}. */
    public static void main(String[] arguments) {
        for (String text : arguments) {
            Optional<Uri.Rejection> rejection = Uri.check(text);
            if (rejection.isPresent()) {
                System.out.println("invalid: " + text + "; " + rejection.get());
            } else {
                String host = Uri.parts(text).orElseThrow().get(Uri.Part.HOST);
                System.out.println("valid: " + text + "; host: " + (host == null ? "none" : host));
            }
        }
    }
}

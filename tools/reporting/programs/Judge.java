import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.DateTimeException;
import java.time.OffsetDateTime;

/** Reads strings as JSON Lines in ASCII and prints whether java.net.URI or OffsetDateTime accepts each; "URI" requires a scheme. */
public class Judge {
    public static void main(String[] args) throws Exception {
        boolean absolute = args[0].equals("URI"), date = args[0].equals("OffsetDateTime");
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "US-ASCII"));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            boolean valid;
            try {
                valid = date ? OffsetDateTime.parse(text(line)) != null : !absolute | new URI(text(line)).isAbsolute();
            } catch (URISyntaxException | DateTimeException error) {
                valid = false;
            }
            System.out.println("{\"valid\": " + valid + "}");
        }
    }

    /** What stands behind "text": in a line that json.dumps wrote. */
    private static String text(String line) {
        StringBuilder text = new StringBuilder();
        int place = line.indexOf("\"text\": \"") + 9;
        for (char next = line.charAt(place); next != '"'; next = line.charAt(++place)) {
            if (next != '\\') {
                text.append(next);
                continue;
            }
            next = line.charAt(++place);
            switch (next) {
                case 'n' -> text.append('\n');
                case 'r' -> text.append('\r');
                case 't' -> text.append('\t');
                case 'b' -> text.append('\b');
                case 'f' -> text.append('\f');
                case 'u' -> {
                    text.append((char) Integer.parseInt(line.substring(place + 1, place + 5), 16));
                    place += 4;
                }
                default -> text.append(next);
            }
        }
        return text.toString();
    }
}

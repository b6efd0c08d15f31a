import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Answers requests on standard input until that ends, each with its length before it: patterns, each with names of
 * groups and texts. The answer is what each text's groups hold.
 */
class Match {
    public static void main(String[] arguments) throws IOException {
        var in = new DataInputStream(new BufferedInputStream(System.in));
        var out = new DataOutputStream(System.out);
        while (true) {
            byte[] request;
            try {
                request = new byte[in.readInt()];
            } catch (EOFException end) {
                return;
            }
            in.readFully(request);
            byte[] answer = answer(new DataInputStream(new ByteArrayInputStream(request)));
            out.writeInt(answer.length);
            out.write(answer);
            out.flush();
        }
    }

    private static byte[] answer(DataInputStream in) throws IOException {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        for (int jobs = in.readInt(); jobs > 0; jobs--) {
            Pattern pattern = Pattern.compile(read(in));
            String[] groups = new String[in.readInt()];
            for (int i = 0; i < groups.length; i++) {
                groups[i] = read(in);
            }
            for (int texts = in.readInt(); texts > 0; texts--) {
                Matcher matcher = pattern.matcher(read(in));
                boolean found = matcher.find();
                out.writeBoolean(found);
                for (int i = 0; found && i < groups.length; i++) {
                    write(out, matcher.group(groups[i]));
                }
            }
        }
        return bytes.toByteArray();
    }

    private static String read(DataInputStream in) throws IOException {
        char[] units = new char[in.readInt()];
        byte[] bytes = in.readNBytes(2 * units.length);
        for (int i = 0; i < units.length; i++) {
            units[i] = (char) ((bytes[2 * i] & 0xFF) << 8 | bytes[2 * i + 1] & 0xFF);
        }
        return new String(units);
    }

    private static void write(DataOutputStream out, String text) throws IOException {
        out.writeInt(text == null ? -1 : text.length());
        if (text != null) {
            out.writeChars(text);
        }
    }
}

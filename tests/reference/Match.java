import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads patterns, each with names of groups and texts, and writes what each text's groups hold. */
class Match {
    public static void main(String[] arguments) throws IOException {
        var in = new DataInputStream(new BufferedInputStream(System.in));
        var out = new DataOutputStream(new BufferedOutputStream(System.out));
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
        out.flush();
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

// Interprets ANTLR 4 grammars. A job is a line with a grammar, then a line with the number of strings, then
// the strings, one a line, all in base64. The result is a line: "+" or "-" for each string, or an error.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.antlr.v4.runtime.*;
import org.antlr.v4.runtime.misc.ParseCancellationException;
import org.antlr.v4.tool.*;

public class Antlr {
    static String read(BufferedReader in) throws Exception {
        return new String(Base64.getDecoder().decode(in.readLine()), StandardCharsets.UTF_8);
    }

    static class Errors extends BaseErrorListener {
        @Override
        public void syntaxError(Recognizer<?, ?> r, Object s, int line, int at, String text, RecognitionException e) {
            throw new ParseCancellationException(text);
        }
    }

    static class ToolErrors implements ANTLRToolListener {
        String text = "";
        public void info(String message) {}
        public void error(ANTLRMessage message) { text += message.toString(); }
        public void warning(ANTLRMessage message) { text += message.toString(); }
    }

    static boolean accepts(Grammar grammar, String text) {
        LexerInterpreter lexer = grammar.createLexerInterpreter(CharStreams.fromString(text));
        lexer.removeErrorListeners();
        lexer.addErrorListener(new Errors());
        ParserInterpreter parser = grammar.createParserInterpreter(new CommonTokenStream(lexer));
        parser.removeErrorListeners();
        parser.addErrorListener(new Errors());
        parser.setErrorHandler(new BailErrorStrategy());
        try {
            parser.parse(grammar.getRule("start_rule").index);
            return true;
        } catch (ParseCancellationException e) {
            return false;
        }
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        while (in.ready()) {
            String text = read(in);
            int number = Integer.parseInt(in.readLine());
            String[] strings = new String[number];
            for (int i = 0; i < number; i++) strings[i] = read(in);
            ToolErrors errors = new ToolErrors();
            Grammar grammar;
            try {
                grammar = new Grammar(text, errors);
            } catch (Exception e) {
                errors.text += e;
                grammar = null;
            }
            StringBuilder result = new StringBuilder();
            if (errors.text.isEmpty()) {
                for (String each : strings) result.append(accepts(grammar, each) ? '+' : '-');
            } else {
                result.append("error: ").append(errors.text.replace('\n', ' '));
            }
            System.out.println(result);
        }
    }
}

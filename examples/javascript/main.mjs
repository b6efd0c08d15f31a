// Validate the arguments as URIs, and print their hosts: npm start -- https://example.org/
import { check, parts } from "./uri.mjs";

for (const text of process.argv.slice(2)) {
  const places = parts(text);
  if (places) {
    console.log(
      `valid: ${text}; host: ${places.host ? text.slice(...places.host) : "none"}`,
    );
  } else {
    const { offset, expected } = check(text);
    console.log(`invalid: ${text}; offset ${offset}, expected: ${expected}`);
    process.exitCode = 1;
  }
}

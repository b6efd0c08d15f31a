// Answers requests on standard input, each with its length in four bytes before it, until that ends. A request is a
// list of [pattern, names of groups, texts] as JSON; the answer is what each text's groups hold, null for no match.
const fs = require("fs");

function read(size) {
  const buffer = Buffer.alloc(size);
  for (let end = 0; end < size; ) {
    const count = fs.readSync(0, buffer, end, size - end);
    if (count === 0) process.exit();
    end += count;
  }
  return buffer;
}

function write(buffer) {
  for (let end = 0; end < buffer.length; ) end += fs.writeSync(1, buffer, end);
}

for (;;) {
  const results = [];
  for (const [pattern, groups, texts] of JSON.parse(read(read(4).readInt32BE()).toString())) {
    for (const flag of ["v", "u"]) {
      new RegExp(pattern, flag); // both have to take it
    }
    const regex = new RegExp(pattern, "u");
    results.push(
      texts.map((text) => {
        const match = regex.exec(text);
        return match && groups.map((name) => match.groups[name] ?? null);
      }),
    );
  }
  const answer = Buffer.from(JSON.stringify(results));
  const size = Buffer.alloc(4);
  size.writeInt32BE(answer.length);
  write(Buffer.concat([size, answer]));
}

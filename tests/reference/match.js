// Reads a list of [pattern, names of groups, texts] as JSON; writes what each text's groups hold, null for no match.
const jobs = JSON.parse(require("fs").readFileSync(0, "utf8"));
const results = [];
for (const [pattern, groups, texts] of jobs) {
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
process.stdout.write(JSON.stringify(results));

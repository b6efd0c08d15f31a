// Order of search results: guides first, and pages whose title has words of the query.
var Scorer = {
  score([page, title, , , score]) {
    const words = (text) => text.toLowerCase().match(/[a-z0-9]+/g) || [];
    const stem = (word) => word.replace(/(ing|s)$/, "");
    const query = words(new URLSearchParams(location.search).get("q") || "").map(stem);
    const names = words(title).map(stem);
    const share = query.filter((word) => names.includes(word)).length / (query.length || 1);
    if (/^(index|CHANGELOG|docs\/index|docs\/requirements|api\/|grammars\/)/.test(page)) return score + 5 * share - 10;
    return score + 10 * share + (/^docs\/(codes-|messages|tutorial\/)/.test(page) ? 0 : 3);
  },
  objNameMatch: 11,
  objPartialMatch: 0,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};

/** Longer names are not compared, to limit the cost, and the length of a header that lists them; no field is longer. */
const LONGEST = 60;

/**
 * The beginning of names, without case and punctuation, that are ignored without a word: a customer identifier chooses nobody, whatever it
 * looks like.
 */
const SILENT = 'customer';

/** Names that other interfaces have for parameters of ours. */
const SYNONYMS: Record<string, string> = { perpage: 'limit', pagesize: 'limit' };

/** The name that a caller probably meant: `amount_nok` for `amountNok`, `amount` or `ammount_nok`. */
export function similarName(wanted: string, names: readonly string[]): string | undefined {
  const plainWanted = plain(wanted);
  return names.find((name) => name.length <= LONGEST && isSimilar(plainWanted, plain(name)));
}

/** Those of some names that are not known and were probably meant to be. */
export function nearMisses(names: readonly string[], known: readonly string[]): string[] {
  const plainKnown = known.map(plain);
  return names.filter((name) => {
    if (known.includes(name) || name.length > LONGEST) return false;
    const plainName = plain(name);
    if (plainName.startsWith(SILENT)) return false;
    const synonym = SYNONYMS[plainName];
    return synonym === undefined ? plainKnown.some((one) => isSimilar(plainName, one)) : known.includes(synonym);
  });
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function isSimilar(wanted: string, name: string): boolean {
  if (wanted === name) return true;
  const [short, long] = wanted.length < name.length ? [wanted, name] : [name, wanted];
  if (short.length >= 3 && long.startsWith(short)) return true;
  return wanted.length >= 4 && long.length - short.length <= MOST_EDITS && editDistance(wanted, name) <= MOST_EDITS;
}

/** Edits by which similar names differ at most. */
const MOST_EDITS = 2;

/** The Levenshtein distance of two texts, or any larger number than {@link MOST_EDITS}. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line++) {
    const next = [line];
    for (let column = 1; column <= to.length; column++) {
      const change = (row[column - 1] ?? 0) + (from[line - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(change, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    if (Math.min(...next) > MOST_EDITS) return Infinity;
    row = next;
  }
  return row[to.length] ?? 0;
}

/** Longest name that is compared: no field of ours is longer, and comparing costs. */
const LONGEST = 60;

/**
 * The name among some that someone probably wrote in place of another: `amountNok`, `amount` or `ammount_nok` for
 * `amount_nok`.
 */
export function similarName(wanted: string, names: readonly string[]): string | undefined {
  return names.find((name) => name.length <= LONGEST && isSimilar(plain(wanted), plain(name)));
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function isSimilar(wanted: string, name: string): boolean {
  if (wanted === name) return true;
  const [short, long] = wanted.length < name.length ? [wanted, name] : [name, wanted];
  if (short.length >= 3 && long.startsWith(short)) return true;
  return wanted.length >= 4 && editDistance(wanted, name) <= 2;
}

/** How many letters must be put in, taken out or changed to make one text the other (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line++) {
    const next = [line];
    for (let column = 1; column <= to.length; column++) {
      const change = (row[column - 1] ?? 0) + (from[line - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(change, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

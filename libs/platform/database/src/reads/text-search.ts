import type { DataSource, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { MOST_COUNTED } from '@platform/pagination';

/**
 * How the rows of a list are searched for a text, in two ways: the one is fast if few rows have the text, the other if many have. SQL
 * with the parameters `:wanted` and `:part`, the pattern of `ilike` for texts that contain it.
 */
export interface TextSearch {
  /** The key of a row of the query, such as `t.customerId, t.id`. */
  key: string;
  /** Selects of the keys of all rows that have the text, each along an index of trigrams or of whole values; the first has no key twice. */
  matches: readonly string[];
  /** Whether a row of the query has the text. No index answers it, so that it is asked row by row in the order of the list. */
  contains: string;
}

/** The index has parts of three characters: it knows nothing of shorter texts. */
const SHORTEST_INDEXED = 3;

/**
 * Narrows a query to the rows that have a text. Asks first whether many have it, which an index tells after the first
 * {@link MOST_COUNTED} of them. If they are fewer, all of them are found by the index; otherwise the order of the list soon leads to some.
 * @returns the rows that have the text if they are known to be too many to be counted; undefined otherwise
 */
export async function narrowToText<Entity extends ObjectLiteral>(
  query: SelectQueryBuilder<Entity>,
  { key, matches, contains }: TextSearch,
  text: string,
): Promise<number | undefined> {
  const parameters = { wanted: text, part: containing(text) };
  const [rows = 0, ...others] =
    text.length < SHORTEST_INDEXED ? [] : await countMatches(query.dataSource, matches, parameters);
  const hasMany = text.length < SHORTEST_INDEXED || Math.max(rows, ...others) > MOST_COUNTED;
  query.andWhere(hasMany ? `(${contains})` : `(${key}) in (${matches.join(' union all ')})`, parameters);
  return rows > MOST_COUNTED ? rows : undefined;
}

/** The rows that each of these selects has, counted one beyond {@link MOST_COUNTED}. */
async function countMatches(
  dataSource: DataSource,
  matches: readonly string[],
  parameters: ObjectLiteral,
): Promise<number[]> {
  const counts = matches.map((select) => `(select count(*) from (${select} limit ${MOST_COUNTED + 1}) counted)`);
  const found = await dataSource
    .createQueryBuilder()
    .select(`array[${counts.join(', ')}]::int[]`, 'counts')
    .from('(select)', 'nothing')
    .setParameters(parameters)
    .getRawOne<{ counts: number[] }>();
  return found?.counts ?? [];
}

/** The pattern of `like` for texts that contain this one; its own wildcards are escaped. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

import { API_PREFIX } from './api-prefix';
import type { Route } from './routes';
import { similarName } from './similar-name';

const PREFIX = `/${API_PREFIX}`;
/** Longer paths are not compared, to limit the cost. */
const LONGEST = 200;

/** The known address that an unknown one probably meant: another spelling of it, or one with the same end. */
export function similarAddress(path: string, routes: readonly Route[]): string | undefined {
  if (path.length > LONGEST) return undefined;
  const known = routes.filter(({ url }) => url.startsWith(`${PREFIX}/`));
  const exists = (address: string) => known.some(({ pattern }) => pattern.test(address));
  const plain = `/${path.toLowerCase().split('/').filter(Boolean).join('/')}`;
  const below = plain.replace(/^(\/api)?(\/v\d+)?(\/api\/v\d+)*(?=\/)/, '');
  const spelling = [plain, `${PREFIX}${below}`].find(exists);
  if (spelling !== undefined) return spelling;
  // Only addresses without ids, so that no id can be in the wrong place.
  const fixed = known.map(({ url }) => url).filter((url) => !url.includes(':'));
  const wanted = below.replace(/^.*\//, '');
  if (wanted === '') return undefined;
  return (
    fixed.find((url) => url.endsWith(below)) ??
    fixed.find((url) => similarName(below, [url.slice(PREFIX.length)]) !== undefined) ??
    fixed.find((url) => url.slice(PREFIX.length).split('/').includes(wanted))
  );
}

import type { Mutant } from '../mutant';

const LISTS = ['test/e2e/services', 'test/e2e/support-tickets'];
const NEWEST = 'libs/platform/database/src/definitions/keyset-statement.ts';

/** Lists in pages. */
export const paging: Mutant[] = [
  {
    name: 'paging: the last row of a page comes again',
    file: NEWEST,
    find: '(${createdAt}, ${id}) < ',
    replace: '(${createdAt}, ${id}) <= ',
    specs: LISTS,
  },
  {
    name: 'paging: rows of one moment are skipped',
    file: NEWEST,
    find: '(${createdAt}, ${id}) < ($${parameters + 1}::timestamptz, $${parameters + 2}::${idType})',
    replace: '${createdAt} < $${parameters + 1}::timestamptz and $${parameters + 2}::${idType} is not null',
    specs: LISTS,
  },
  {
    name: 'paging: the row too many is shown',
    file: 'libs/platform/pagination/src/page.ts',
    find: 'rows.slice(0, limit)',
    replace: 'rows.slice(0, limit + 1)',
    specs: LISTS,
  },
  {
    name: 'paging: a full last page promises another',
    file: 'libs/platform/pagination/src/page.ts',
    find: 'rows.length > limit',
    replace: 'rows.length >= limit',
    specs: LISTS,
  },
  {
    name: 'paging: a day that does not exist is a place in a list',
    file: 'libs/platform/pagination/src/cursor.ts',
    find: ' && time.toISOString().startsWith(`${day}T${clock}`)',
    replace: '',
    specs: [...LISTS, 'libs/platform/pagination'],
  },
];

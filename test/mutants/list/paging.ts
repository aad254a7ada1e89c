import type { Mutant } from '../mutant';

const LISTS = ['test/e2e/services', 'test/e2e/support-tickets'];
const NEWEST = 'libs/platform/database/src/definitions/keyset-statement.ts';

/** Lists in pages. */
export const paging: Mutant[] = [
  {
    name: 'paging: the last row of a page comes again',
    file: NEWEST,
    find: "(${place.join(', ')}) < (",
    replace: "(${place.join(', ')}) <= (",
    specs: LISTS,
  },
  {
    name: 'paging: rows of one moment are skipped',
    file: NEWEST,
    find: "conditions.push(`(${place.join(', ')}) < (${given.join(', ')})`);",
    replace:
      'conditions.push(timedIds ? `${id} < ${given[0]}` : `${createdAt} < ${given[0]} and ${given[1]} is not null`);',
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

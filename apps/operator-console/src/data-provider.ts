import type { DataProvider, GetListParams, RaRecord } from 'react-admin';
import { call, type Query } from './client/api';

/** A page of a list, as the operator API sends it. */
interface Page {
  data: RaRecord[];
  has_more: boolean;
  next_cursor: string | null;
  total?: number;
  total_is_exact?: boolean;
}

const DEFAULT_LIMIT = 25;

/** Short lists, which the operator API sends whole: they have no pages, and no order but their own. */
const WHOLE_LISTS = new Set(['accounts', 'prices', 'services', 'tokens']);

/** Lists go on after a cursor; pages of the console have numbers. Cursors of the pages that were looked at are remembered. */
class Pages {
  private readonly cursors = new Map<string, string[]>();

  async read(resource: string, query: Query, page: number, signal?: AbortSignal): Promise<Page> {
    const key = JSON.stringify([resource, query]);
    // A first page is looked at anew: what came since moves everything behind it.
    const known = page === 1 ? [] : (this.cursors.get(key) ?? []);
    for (let at = known.length + 1; at < page; at++) {
      const { next_cursor: next } = await call<Page>('GET', resource, {
        query: { ...query, cursor: known[at - 2] },
        signal,
      });
      if (next === null) return { data: [], has_more: false, next_cursor: null };
      known.push(next);
    }
    const found = await call<Page>('GET', resource, { query: { ...query, cursor: known[page - 2] }, signal });
    if (found.next_cursor !== null) known[page - 1] = found.next_cursor;
    this.cursors.set(key, known.slice(0, page));
    return found;
  }
}

const pages = new Pages();

async function list(resource: string, params: GetListParams & { filter?: Query }) {
  const { pagination, sort, filter, meta, signal } = params;
  const { page = 1, perPage = DEFAULT_LIMIT } = pagination ?? {};
  const { q, ...filters } = (filter ?? {}) as Query;
  if (WHOLE_LISTS.has(resource)) {
    const found = await call<Page>('GET', resource, { query: filters, signal });
    return { data: found.data, total: found.data.length, meta: { total: found.data.length, isExact: true } };
  }
  const order =
    sort && meta?.sortable !== false && sort.field !== 'default'
      ? `${sort.order === 'DESC' ? '-' : ''}${sort.field}`
      : undefined;
  const query = { ...filters, search: q, sort: order, limit: perPage };
  const found = await pages.read(resource, query, page, signal);
  return {
    data: found.data,
    total: found.total_is_exact === false ? undefined : found.total,
    pageInfo: { hasNextPage: found.has_more, hasPreviousPage: page > 1 },
    meta: { total: found.total, isExact: found.total_is_exact },
  };
}

/** The one way from react-admin's resources to the operator API. */
export const dataProvider = {
  supportAbortSignal: true,
  getList: list,
  getOne: async (resource: string, { id, signal }: { id: string | number; signal?: AbortSignal }) => ({
    data: await call<RaRecord>('GET', `${resource}/${encodeURIComponent(id)}`, { signal }),
  }),
  getMany: async (resource: string, { ids, signal }: { ids: (string | number)[]; signal?: AbortSignal }) => ({
    data: await Promise.all(
      ids.map((id) => call<RaRecord>('GET', `${resource}/${encodeURIComponent(id)}`, { signal })),
    ),
  }),
  getManyReference: (resource: string, params: GetListParams & { target: string; id: string | number }) =>
    list(resource, { ...params, filter: { ...params.filter, [params.target]: params.id } }),
  create: async (resource: string, { data }: { data: object }) => ({
    data: await call<RaRecord>('POST', resource, { body: data }),
  }),
  update: async (resource: string, { id, data }: { id: string | number; data: object }) => ({
    data: await call<RaRecord>('PATCH', `${resource}/${encodeURIComponent(id)}`, { body: data }),
  }),
  delete: async (resource: string, { id }: { id: string | number }) => {
    await call('DELETE', `${resource}/${encodeURIComponent(id)}`);
    return { data: { id } };
  },
  updateMany: () => Promise.reject(new Error('The console changes one record at a time')),
  deleteMany: () => Promise.reject(new Error('The console deletes one record at a time')),
} as unknown as DataProvider;

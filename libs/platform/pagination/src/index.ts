export {
  type Cursor,
  decodeCursor,
  encodeCursor,
  listMark,
  type Page,
  type PageRequest,
  paginate,
} from './cursor-pages';
export { Listing, type ListingRequest } from './listing';
export { allRows, type OneColumnList, oneColumnPage } from './one-column-list';

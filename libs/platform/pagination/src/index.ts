export { type Page, type PageRequest, paginate } from './page';
export { type Cursor, decodeCursor, encodeCursor, listMark } from './cursor';
export { Listing, type ListingRequest } from './listing';
export { allRows, type OneColumnList, oneColumnPage } from './one-column-list';

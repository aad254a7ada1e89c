export { type Page, type PageRequest, paginate } from './page';
export { type Cursor, decodeCursor, encodeCursor } from './cursor';
export { Listing, type ListingRequest } from './listing';
export { listMark } from './cursor-text';
export { allRows, type KeyedList, keyedPage } from './keyed-list';

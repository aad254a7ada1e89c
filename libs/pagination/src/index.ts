export { type Page, type PageRequest, paginate } from './page';
export { decodeCursor, encodeCursor, type Cursor } from './cursor';

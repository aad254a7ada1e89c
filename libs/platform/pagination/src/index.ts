export { type Page, type PageRequest, paginate } from './page';
export { type Cursor, decodeCursor, encodeCursor, listMark } from './cursor';

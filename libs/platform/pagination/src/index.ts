export {
  type Cursor,
  decodeCursor,
  encodeCursor,
  isInCalendar,
  listMark,
  type Page,
  type PageRequest,
  paginate,
} from './cursors';
export {
  inboxMark,
  inboxPage,
  type InboxPage,
  type InboxPlace,
  type InboxRequest,
  MOST_COUNTED,
  placeOfCursor,
  type SortKind,
  wholeInbox,
} from './inbox';
export { Listing, type ListingRequest } from './listing';
export { allRows, type Days, daysOfCursor, type OneColumnList, oneColumnPage } from './one-column-list';

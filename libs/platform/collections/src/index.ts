export { type ListEntry, LinkedList } from './linked-list';

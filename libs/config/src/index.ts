export { x } from './x';

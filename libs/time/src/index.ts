export { timeSql, timeText } from './time-text';

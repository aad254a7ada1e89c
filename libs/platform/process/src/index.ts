export { explainStartFailure } from './explain-start-failure';
export { runProcess } from './run-process';

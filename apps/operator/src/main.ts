import './compile-cache';
import { runOperator } from './run-operator';

// Who reads only the beginning, such as head, has what it wants.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
void runOperator();

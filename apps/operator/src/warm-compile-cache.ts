import './compile-cache';
import { loadAll } from './run-operator';

// Fills the compile cache when the image is built.
void loadAll();

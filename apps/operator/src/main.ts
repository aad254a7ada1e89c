import './compile-cache';
import { runOperator } from './run-operator';

void runOperator();

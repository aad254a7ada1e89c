import 'reflect-metadata';
import { runOperator } from './run-operator';

void runOperator();

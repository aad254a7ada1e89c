import 'reflect-metadata';
import { writeDocument } from '@platform/http';
import { AppModule } from './app.module';
import { OPERATOR_INTERFACE } from './interface';

void writeDocument((config) => AppModule.with(config), OPERATOR_INTERFACE);

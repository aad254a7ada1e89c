import 'reflect-metadata';
import { writeDocument } from '@platform/http';
import { AppModule } from './app.module';
import { CUSTOMER_INTERFACE } from './interface';

void writeDocument((config) => AppModule.with(config), CUSTOMER_INTERFACE);

import 'reflect-metadata';
import { faker } from '@faker-js/faker';

faker.seed(Number(process.env.TEST_SEED));

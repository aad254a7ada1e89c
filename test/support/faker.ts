// With all languages it takes ten times as long to load.
import { faker } from '@faker-js/faker/locale/en';

// `TEST_SEED` repeats the made-up data of a spec file.
faker.seed(Number(process.env.TEST_SEED));

export { faker };

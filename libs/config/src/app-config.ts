import type { z } from 'zod';
import type { configSchema } from './schema';

type Settings = z.output<typeof configSchema>;

/** The validated settings of this process; inject it by its class. */
export class AppConfig {}
// A class and an interface of one name: the class is the injection token, the interface has the settings.
export interface AppConfig extends Settings {}

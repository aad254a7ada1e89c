import type { z } from 'zod';
import type { configSchema } from './schema';

type Settings = z.output<typeof configSchema>;

/* eslint-disable @typescript-eslint/no-unsafe-declaration-merging, @typescript-eslint/no-extraneous-class,
   @typescript-eslint/no-empty-object-type -- a class and an interface of one name: the class is the injection token, the
   interface has the settings, which loadConfig() assigns */
/** The validated settings of this process; inject it by its class. */
export class AppConfig {}
export interface AppConfig extends Settings {}

import { configSchema } from '../schema';

/** A setting as its documentation shows it. */
export interface Setting {
  name: string;
  /** What the schema's `describe()` says. */
  description: string;
  /** The default as one would write it; undefined if there is none. */
  default?: string;
}

/** Every setting of the schema, in its order. */
export function documentedSettings(): Setting[] {
  return Object.entries(configSchema.shape).map(([name, schema]) => {
    const { data = '' } = schema.safeParse(undefined) as { data?: string | number | boolean | string[] };
    const written = String(data);
    return { name, description: schema.description ?? '', ...(written !== '' && { default: written }) };
  });
}

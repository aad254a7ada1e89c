const PATTERN = /\[\[sandbox:([a-z0-9-]+)(?:=([^]*?))?\]\]/g;

/** A reply that a test specifies completely. */
export interface RawReply {
  /** HTTP status; 200 if left out. */
  status?: number;
  headers?: Record<string, string>;
  /** Sent unchanged; an object is sent as JSON. */
  body: string | Buffer | object;
}

/** Directives as a test writes them: names as in the README, `true` for one without a value. */
export type DirectiveValues = Record<string, string | number | true | object> & { reply?: RawReply };

/** An unknown or malformed directive. It is an error, so that no test passes because of a typo. */
export class DirectiveError extends Error {}

/** Instructions of a request or test to answer in another way. */
export class Directives {
  static readonly none = new Directives(new Map());

  private constructor(private readonly values: ReadonlyMap<string, string | number | true | object>) {}

  /** Parses `[[sandbox:name]]` and `[[sandbox:name=value]]` in a text. The last one of a name wins. */
  static inText(text: string, known: ReadonlySet<string>): Directives {
    if (!text.includes('[[sandbox:')) return Directives.none;
    const values = new Map<string, string | true>();
    for (const [, name = '', value] of text.matchAll(PATTERN)) values.set(name, value ?? true);
    return Directives.checked(values, known);
  }

  static of(values: DirectiveValues, known: ReadonlySet<string>): Directives {
    return Directives.checked(new Map(Object.entries(values)), known);
  }

  /** The header `Retry-After` of a refusal with this status: as asked, else 1 s with 429 and none with others. */
  retryAfter(status: number): Record<string, string> {
    const seconds = this.number('retry-after') ?? (status === 429 ? 1 : undefined);
    return seconds === undefined ? {} : { 'retry-after': String(seconds) };
  }

  /** The text without its directives. */
  static strip(text: string): string {
    return text.replace(PATTERN, '').trim();
  }

  private static checked(
    values: ReadonlyMap<string, string | number | true | object>,
    known: ReadonlySet<string>,
  ): Directives {
    for (const name of values.keys()) {
      if (name !== 'reply' && !known.has(name)) {
        throw new DirectiveError(`sandbox: unknown directive "${name}"; known here: ${[...known].join(', ')}`);
      }
    }
    return new Directives(values);
  }

  /** The directives whose name starts with `prefix`, without the prefix; `without` returns all others. */
  scoped(prefix: string): Directives {
    const inScope = [...this.values].filter(([name]) => name.startsWith(prefix));
    return new Directives(new Map(inScope.map(([name, value]) => [name.slice(prefix.length), value])));
  }

  without(prefix: string): Directives {
    if (this.values.size === 0) return this;
    return new Directives(new Map([...this.values].filter(([name]) => !name.startsWith(prefix))));
  }

  get isEmpty(): boolean {
    return this.values.size === 0;
  }

  has(name: string): boolean {
    return this.values.has(name);
  }

  /** A whole number of zero or more. */
  number(name: string): number | undefined {
    const value = this.values.get(name);
    if (value === undefined) return undefined;
    const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : NaN;
    if (value === '' || !Number.isSafeInteger(number) || number < 0) {
      throw new DirectiveError(`sandbox: directive "${name}" takes a whole number, as in [[sandbox:${name}=1]]`);
    }
    return number;
  }

  text(name: string): string | undefined {
    const value = this.values.get(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'string' || value === '') {
      throw new DirectiveError(`sandbox: directive "${name}" takes a value, as in [[sandbox:${name}=value]]`);
    }
    return value;
  }

  /** Comma-separated words, each one of `words`. */
  list<Word extends string>(name: string, words: readonly Word[]): Word[] | undefined {
    return this.text(name)
      ?.split(',')
      .map((part) => {
        const word = words.find((candidate) => candidate === part.trim());
        if (word === undefined)
          throw new DirectiveError(`sandbox: directive "${name}" takes a list of ${words.join(', ')}`);
        return word;
      });
  }

  json(name: string): object | undefined {
    const value = this.values.get(name);
    if (value === undefined) return undefined;
    if (typeof value === 'object') return value;
    try {
      const parsed: unknown = JSON.parse(String(value));
      if (typeof parsed === 'object' && parsed !== null) return parsed;
    } catch {
      // Told below, like JSON of another kind.
    }
    throw new DirectiveError(`sandbox: directive "${name}" takes a JSON object, as in [[sandbox:${name}={"a":1}]]`);
  }

  get rawReply(): RawReply | undefined {
    return this.values.get('reply') as RawReply | undefined;
  }
}

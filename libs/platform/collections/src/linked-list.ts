/** The place of a value in a {@link LinkedList}. */
export interface ListEntry<T> {
  readonly value: T;
  /** Takes the value out of its list. @returns false if it was taken out before */
  remove(): boolean;
}

/**
 * Values in the order in which they were added, each taken out by its entry. It is for what lives as long as a request.
 *
 * A `Set` keeps such values long after they were deleted: when its table is full of deleted places, V8 goes on with a new one, to
 * which the old one refers. An old table that the collector has moved to the old generation keeps the next one, with all that was
 * in it then, and that one the next: what has passed is only freed by a full collection, and each small one copies it. Here a
 * removed entry refers to no other, and none to it. See [Measurements](../../../../docs/decisions/measurements.md).
 */
export class LinkedList<T> implements Iterable<T> {
  private readonly ends: Ends<T> = Object.assign(new Link<T>(), { count: 0 });

  get size(): number {
    return this.ends.count;
  }

  /** The entry that has been in the list for the longest time. */
  get oldest(): ListEntry<T> | undefined {
    const { next } = this.ends;
    return next instanceof Entry ? (next as Entry<T>) : undefined;
  }

  /** Adds a value as the last one. */
  add(value: T): ListEntry<T> {
    return new Entry(value, this.ends);
  }

  /** The values, the oldest first. The one that is looked at may be removed meanwhile. */
  *[Symbol.iterator](): Generator<T, void> {
    let next: Link<T>;
    for (let link = this.ends.next; link instanceof Entry; link = next) {
      ({ next } = link);
      yield (link as Entry<T>).value;
    }
  }
}

/** A part of a ring. Without neighbours it is its own. */
class Link<T> {
  previous: Link<T> = this;
  next: Link<T> = this;
}

/** Where the ring of a list begins and ends. */
type Ends<T> = Link<T> & { count: number };

class Entry<T> extends Link<T> implements ListEntry<T> {
  constructor(
    readonly value: T,
    private readonly ends: Ends<T>,
  ) {
    super();
    this.previous = ends.previous;
    this.next = ends;
    this.previous.next = ends.previous = this;
    ends.count++;
  }

  remove(): boolean {
    if (this.next === this) return false;
    this.previous.next = this.next;
    this.next.previous = this.previous;
    this.previous = this.next = this;
    this.ends.count--;
    return true;
  }
}

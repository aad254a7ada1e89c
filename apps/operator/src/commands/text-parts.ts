/** A text of any length, in one form: it is printed while it is made. */
export class TextParts {
  constructor(readonly parts: AsyncIterable<string>) {}
}

import { fc } from '@test/fast-check';
import { nearMisses, similarName } from './similar-name';

describe('a similar name', () => {
  it.each([
    ['amount_nok', 'amountNok'],
    ['amount_nok', 'amount'],
    ['amount_nok', 'AMOUNT_NOK'],
    ['amount_nok', 'ammount_nok'],
    ['message', 'mesage'],
    ['messages', 'message'],
    ['title', 'titel'],
    ['to', 'TO'],
    ['amount', 'amount_nok'],
    ['amo', 'amount'],
    ['amount', 'amo'],
    ['body', 'bdoy'],
    ['x'.repeat(59), 'x'.repeat(60)],
  ])('to %s is %s', (wanted, name) => expect(similarName(wanted, ['x', name])).toBe(name));

  it.each([
    ['to', 'from'],
    ['to', 'recipient'],
    ['body', 'note'],
    ['title', 'customer_id'],
    ['message', 'm'],
    ['am', 'amount'],
    ['ids', 'idx'],
    ['x'.repeat(60), 'x'.repeat(61)],
  ])('to %s is not %s', (wanted, name) => expect(similarName(wanted, [name])).toBeUndefined());

  /** Letters of which each is there once, so that a name is as many edits away as are made. */
  const names = fc
    .uniqueArray(fc.constantFrom(...'abcdefghijkl'), { minLength: 8, maxLength: 12 })
    .map((letters) => letters.join(''));
  const places = fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 4 });
  const cut = (name: string, place: number, removed: number, put: string) =>
    name.slice(0, place) + put + name.slice(place + removed);

  it.each([
    ['another letter', 1, 'x'],
    ['a letter more', 0, 'x'],
    ['a letter less', 1, ''],
  ])('has %s in two places at most', (_, removed, put) => {
    fc.assert(
      fc.property(names, places, (name, at) => {
        const edited = at.sort((a, b) => b - a).reduce((text, place) => cut(text, place, removed, put), name);
        expect(similarName(name, ['other', edited])).toBe(at.length <= 2 ? edited : undefined);
        expect(similarName(edited, ['other', name])).toBe(at.length <= 2 ? name : undefined);
      }),
    );
  });
});

describe('near misses', () => {
  const known = ['amount_nok', 'limit', 'title'];

  it.each([
    ['titel', 'limit', 'foo'],
    ['AmountNok', 'x'],
    ['per_page', 'y'],
    ['pageSize', 'size'],
  ])('are %s, beside names that are known or like none', (...names) => {
    expect(nearMisses(names, known)).toEqual(names.slice(0, 1));
  });

  it('are never longer than 60 characters: they are listed in a header', () => {
    const [long, short] = [56, 55].map((letters) => `title${'æ'.repeat(letters)}`);
    expect(nearMisses([long, short, 'titleæ'] as string[], known)).toEqual([short, 'titleæ']);
  });

  it('are not paging parameters of others where no limit is known', () =>
    expect(nearMisses(['per_page', 'pageSize'], ['title'])).toEqual([]));

  it('are never identifiers of a customer', () =>
    expect(nearMisses(['customer', 'Customer-Name', 'customers_name'], ['customer_name'])).toEqual([]));
});

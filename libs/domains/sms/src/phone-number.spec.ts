import { isPlausibleRecipient, recipientKind, recipientFault } from './phone-number';

describe('isPlausibleRecipient', () => {
  it.each([
    '+4790000000',
    '+4759112345',
    '+46700000000',
    '+447911123456',
    '+4521212121',
    '+12025550123',
    '+358401234567',
    // A machine's number: twelve digits.
    '+47580012345678',
  ])('takes %s', (number) => expect(isPlausibleRecipient(number)).toBe(true));

  it.each([
    ['no plus sign', '4790000000'],
    ['two zeros for the plus sign', '004790000000'],
    ['a space', '+47 90000000'],
    ['a space before', ' +4790000000'],
    ['a line feed behind', '+4790000000\n'],
    ['a hyphen', '+47-90000000'],
    ['letters', '+47abcdefgh'],
    ['Arabic digits', '+٤٧٩٠٠٠٠٠٠٠'],
    ['an unassigned country code', '+999123456789'],
    ['a zero for a country code', '+0790000000'],
    ['too few digits for the country', '+47900000'],
    ['too many digits for the country', '+479000000000'],
    ['too few digits for a Norwegian machine', '+475800123456'],
    ['twelve digits outside the Norwegian machines', '+47590012345678'],
    ['more than fifteen digits', '+4790000000123456'],
    ['nothing', ''],
    ['an extension', '+4790000000;ext=1'],
  ])('refuses %s', (_, number) => expect(isPlausibleRecipient(number)).toBe(false));
});

describe('the fault of a recipient', () => {
  it('is undefined for an international number', () => expect(recipientFault('+4790000000')).toBeUndefined());

  it.each([
    ['+47 900 00 000', 'must have nothing but digits after the +: write +4790000000'],
    ['+47-90-00-00-00', 'must have nothing but digits after the +: write +4790000000'],
    ['004790000000', 'must begin with + and not 00: write +4790000000'],
    ['90000000', 'must begin with + and the country code: write +4790000000 if it is Norwegian'],
    ['900 00 000', 'must begin with + and the country code: write +4790000000 if it is Norwegian'],
    ['07911123456', 'must begin with + and the country code: such as +4790000000'],
    ['Kari', 'must be a telephone number in international format, such as +4790000000'],
    ['', 'must be a telephone number in international format, such as +4790000000'],
    ['0'.repeat(10_000), 'must be a telephone number in international format, such as +4790000000'],
    [4790000000, 'must be a string such as "+4790000000", not a number'],
    [null, 'must be a string such as "+4790000000", not null'],
  ])('is said of %s', (value, fault) => expect(recipientFault(value)).toBe(fault));
});

describe('recipientKind', () => {
  it.each([
    ['+4790000000', { country: 'NO' }],
    ['+4759112345', { country: 'NO' }],
    ['+47580012345678', { country: 'NO' }],
    ['+4779123456', { country: 'NO', never: 'landline' }],
    ['+46700000000', { country: 'SE' }],
    ['+358181234567', { country: 'FI', never: 'landline' }],
    ['+12025550123', { country: 'US' }],
    ['+12685550123', { country: 'AG' }],
    ['+80012345678', {}],
    ['+4782012345', { country: 'NO', never: 'premium rate' }],
    ['+46939123456', { country: 'SE', never: 'premium rate' }],
    ['+19005551234', { country: 'US', never: 'premium rate' }],
    ['+979123456789', { never: 'premium rate' }],
    ['+447012345678', { country: 'GB', never: 'personal (call forwarding)' }],
    ['+447400123456', { country: 'GB' }],
    ['+4788012345', { country: 'NO', never: 'personal (call forwarding)' }],
    ['+878101234567890', { never: 'personal (call forwarding)' }],
    ['+870773111632', { never: 'satellite' }],
    ['+881612345678', { never: 'satellite' }],
    ['+88216123456789', { never: 'satellite' }],
    ['+8835100012345', { never: 'satellite' }],
  ])('of %s is %j', (number, kind) => expect(recipientKind(number)).toEqual(kind));
});

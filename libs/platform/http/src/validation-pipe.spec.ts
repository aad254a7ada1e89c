import 'reflect-metadata';
import { IsOptional, IsString } from 'class-validator';
import { createValidationPipe } from './validation-pipe';

class Letter {
  @IsString()
  subject!: string;

  @IsOptional()
  @IsString()
  text?: string;
}

describe('the validation of input', () => {
  const pipe = createValidationPipe([]);

  it.each(['body', 'query'] as const)('never looks at the value of an unknown name in a %s', async (type) => {
    let looks = 0;
    const input = { subject: 'Hello' };
    for (let index = 0; index < (type === 'body' ? 5_000 : 99); index++)
      Object.defineProperty(input, `unknown${index}`, { enumerable: true, get: () => ++looks });
    const letter: unknown = await pipe.transform(input, { type, metatype: Letter });
    expect(letter).toBeInstanceOf(Letter);
    expect(letter).toEqual({ subject: 'Hello' });
    expect(looks).toBe(0);
  });

  it('tells a fault of a known name, and the unknown one that was probably meant', async () => {
    const checked = pipe.transform({ Subject: 'Hello', text: 1 }, { type: 'body', metatype: Letter });
    await expect(checked).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/you sent Subject; did you mean subject\?.*text must be a string/) as string,
    });
  });

  it('tells ten faults of a query at most', async () => {
    const query = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`subject[${index}]`, 'x']));
    const checked = createValidationPipe([Letter]).transform(query, { type: 'query', metatype: Letter });
    await expect(checked).rejects.toMatchObject({
      options: { errors: Array.from({ length: 10 }, (_, index) => ({ pointer: `/subject[${index}]` })) },
    });
  });

  it('refuses a query of more than a hundred parameters, before it looks at them', async () => {
    const query = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`unknown${index}`, '1']));
    const checked = pipe.transform(query, { type: 'query', metatype: Letter });
    await expect(checked).rejects.toMatchObject({
      code: 'invalid_request',
      detail: 'The address has more than 100 parameters',
    });
  });

  it('leaves an input alone whose type is not checked', async () => {
    expect(await pipe.transform({ any: 'thing' }, { type: 'body', metatype: Object })).toEqual({ any: 'thing' });
  });
});

import { type CustomerErrorCode as ErrorCode, errorCatalog } from '@platform/errors';
import { errorPage } from './error-page';

describe('the page of errors', () => {
  const page = errorPage();
  const sections = Object.fromEntries(
    [...page.matchAll(/<section id="(\w+)">(.*?)<\/section>/gs)].map(([, id, text]) => [id, text]),
  );

  it('has a section for every code and no other', () => {
    expect(Object.keys(sections).sort()).toEqual(Object.keys(errorCatalog).sort());
  });

  it.each(Object.keys(errorCatalog) as ErrorCode[])('describes %s and what to do', (code) => {
    const { status, title, advice } = errorCatalog[code];
    for (const text of [String(status), title, advice]) expect(sections[code]).toContain(text);
    expect(advice).toMatch(/^[A-Z].{15,}\.$/);
  });

  it('loads nothing from other hosts', () => {
    expect(page).not.toMatch(/<(script|link|img|iframe)|url\(|@import/);
  });
});

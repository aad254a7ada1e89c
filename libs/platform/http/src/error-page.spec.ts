import { type CustomerErrorCode as ErrorCode, errorCatalog } from '@platform/errors';
import { errorPage } from './error-page';

describe('the page of errors', () => {
  const page = errorPage({ title: 'Customer API', errors: errorCatalog });
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

  it('has the name of its interface, and the sections in the order of their statuses', () => {
    const texts = { title: 't', advice: 'a', example: 'e' };
    const errors = {
      late: { status: 503, ...texts },
      early: { status: 400, ...texts },
      middle: { status: 404, ...texts },
      other: { status: 400, ...texts },
    };
    const shown = errorPage({ title: 'Operator API', errors });
    expect(shown).toContain('<title>Operator API: errors</title>');
    const codes = [...shown.matchAll(/<section id="(\w+)">/g)].map(([, code]) => code);
    expect(codes).toEqual(['early', 'other', 'middle', 'late']);
  });

  it('shows every text as it is written', () => {
    const text = 'a < b && c > d &lt; e';
    const odd = { status: 400, title: text, advice: text, example: text };
    const shown = errorPage({ title: 'A', errors: { odd } });
    expect(shown.split('a &lt; b &amp;&amp; c &gt; d &amp;lt; e')).toHaveLength(4);
  });

  it('loads nothing from other hosts', () => {
    expect(page).not.toMatch(/<(script|link|img|iframe)|url\(|@import/);
  });
});

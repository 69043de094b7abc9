import { describe, expect, it } from 'bun:test';
import { safeContent, safeHtml } from './html.ts';

describe('HTML of the operator', () => {
  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="java\tscript:alert(1)">x</a>',
    '<a href="data:text/html,<script>alert(1)</script>">x</a>',
    '<svg><script>alert(1)</script></svg>',
    '<math><mtext><style><img src onerror=alert(1)></style></mtext></math>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<form action="https://evil.example"><input name=password></form>',
    '<div style="position:fixed;inset:0" onclick="alert(1)">x</div>',
    '<meta http-equiv=refresh content="0;url=https://evil.example">',
    '<base href="https://evil.example/">',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  ])('loses what acts in %s', (html) => {
    const safe = safeHtml(html);
    expect(safe).not.toMatch(/<(script|svg|math|style|iframe|form|input|meta|base|noscript)/i);
    expect(safe).not.toMatch(/<[^>]*\s(on\w+|style|srcdoc)\s*=/i);
    expect(safe).not.toMatch(/href="(javascript|data)/i);
  });

  it('keeps text, links and pictures', () => {
    expect(safeHtml('© <b>Site</b> <a href="https://a.example" target="_blank">terms</a>')).toBe(
      '© <b>Site</b> <a href="https://a.example" target="_blank" rel="noopener noreferrer">terms</a>',
    );
    expect(safeHtml('<img src="/logo.png" alt="x">')).toBe('<img src="/logo.png" alt="x" />');
  });
});

describe('what the operator tells visitors', () => {
  it.each([
    ['an address', ' https://a.example/home?x=1\n', 'https://a.example/home?x=1'],
    [
      'Markdown',
      '# Hi\n\nUse **this** [site](https://a.example)',
      '<h2>Hi</h2>\n<p>Use <strong>this</strong> <a href="https://a.example" rel="noopener noreferrer">site</a></p>',
    ],
    ['HTML', '<h1>Hi</h1>\n\n    <p>indented</p>', '<h2>Hi</h2>\n\n    <p>indented</p>'],
    [
      'a table',
      '| a |\n|---|\n| 1 |',
      '<table>\n<thead>\n<tr><th>a</th></tr>\n</thead>\n<tbody>\n<tr><td>1</td></tr>\n</tbody>\n</table>',
    ],
    ['text about an address', 'https://a.example is ours', '<p>https://a.example is ours</p>'],
    ['an address that runs', 'javascript:alert(1)', '<p>javascript:alert(1)</p>'],
    ['nothing', '  \n', ''],
  ])('is %s, ready to be shown', (_what, text, shown) => {
    expect(safeContent(text)).toBe(shown);
  });

  it.each([
    '[x](javascript:alert(1))',
    '![x](javascript:alert(1))',
    'Hi <script>alert(1)</script>',
    'Hi <img src=x onerror=alert(1)>',
    '<iframe src="https://evil.example"></iframe>',
    '`<script>alert(1)</script>`',
  ])('loses what acts in %s', (text) => {
    expect(safeContent(text)).not.toMatch(/<(script|iframe)|<[^>]*\son\w+\s*=|(href|src)="javascript/i);
  });
});

import { describe, expect, it } from 'bun:test';
import { hiddenText, readPreferences } from './preferences.ts';

describe('readPreferences', () => {
  it('takes the defaults of the site without cookies', () => {
    expect(readPreferences('', true)).toEqual({
      theme: null,
      timeZone: 'UTC',
      pageSize: 10,
      density: 'normal',
      sideCollapsed: true,
      hiddenColumns: {},
    });
  });

  it('reads what was chosen', () => {
    const cookies =
      'theme-mode=dark; tz=Asia%2FShanghai; page-size=50; density=compact; default_collapse_sidebar=false; columns=token%3Agroup%2Cmodels%3Blog%3Aip';
    expect(readPreferences(cookies, true)).toEqual({
      theme: 'dark',
      timeZone: 'Asia/Shanghai',
      pageSize: 50,
      density: 'compact',
      sideCollapsed: false,
      hiddenColumns: { token: ['group', 'models'], log: ['ip'] },
    });
  });

  it('lets nonsense fall back to the defaults', () => {
    const cookies =
      'theme-mode=pink; tz=%E0%A4%A; page-size=1000000; density=; columns=<script>:a;__proto__:x';
    expect(readPreferences(cookies, false)).toMatchObject({ theme: null, timeZone: 'UTC', pageSize: 10 });
  });

  it('writes hidden columns as it reads them', () => {
    const hidden = { token: ['group', 'models'], log: ['ip'], 'model-hub': ['cache-read'], user: [] };
    const cookie = `columns=${encodeURIComponent(hiddenText(hidden))}`;
    expect(readPreferences(cookie, false).hiddenColumns).toEqual(hidden);
  });
});

import { describe, expect, it } from 'bun:test';
import { readPreferences } from './preferences.ts';

describe('readPreferences', () => {
  it('takes the defaults of the site without cookies', () => {
    expect(readPreferences('', true)).toEqual({
      theme: null,
      timeZone: 'UTC',
      pageSize: 10,
      density: 'normal',
      sideCollapsed: true,
      firstStepsHidden: false,
      callbackSilent: false,
      tables: {},
    });
  });

  it('reads what was chosen', () => {
    const cookies =
      'theme-mode=dark; tz=Asia%2FShanghai; page-size=50; density=compact; default_collapse_sidebar=false; first-steps=hidden; mj_notify_enabled=true; columns=token(name.-group!90)';
    expect(readPreferences(cookies, true)).toEqual({
      theme: 'dark',
      timeZone: 'Asia/Shanghai',
      pageSize: 50,
      density: 'compact',
      sideCollapsed: false,
      firstStepsHidden: true,
      callbackSilent: true,
      tables: {
        token: [
          { id: 'name', hidden: false },
          { id: 'group', hidden: true, width: 90 },
        ],
      },
    });
  });

  it('lets nonsense fall back to the defaults', () => {
    const cookies =
      'theme-mode=pink; tz=%E0%A4%A; page-size=1000000; density=; columns=<script>:a;__proto__:x';
    expect(readPreferences(cookies, false)).toMatchObject({ theme: null, timeZone: 'UTC', pageSize: 10 });
  });
});

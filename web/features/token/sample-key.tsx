/** The key of the token whose use is shown: masked, to be copied, and put into the sample when asked. */
import { CopyField } from '@/components/copy-field.tsx';
import { LinkButton } from '@/components/ui/button.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { errorText, errorTone } from '@/lib/error-text.ts';
import { useApi, useBoot } from '@/lib/page-context.ts';
import { useAction } from '@/lib/use-action.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { revealKey } from './calls.ts';
import { KEY_VARIABLE } from './code-samples.ts';
import type { Token } from './token.ts';

const DOTS = '•'.repeat(24);

interface SampleKeyProps {
  token: Token;
  /** The whole key while the sample shows it. */
  shown: string | null;
  onShow: (key: string | null) => void;
}

export function SampleKey({ token, shown, onShow }: SampleKeyProps) {
  const { t } = useTranslation();
  const { keysShownOnce } = useBoot();
  const api = useApi();
  const insert = useAction(async () => onShow(await revealKey(api, token.id)));
  const copyFailed = useAction(async (error: unknown) => Promise.reject(error));
  const failure = insert.error ?? copyFailed.error;
  return (
    <>
      <CopyField
        label={t('token.key')}
        value={`sk-${token.key.replace('…', DOTS)}`}
        copy={keysShownOnce ? null : () => revealKey(api, token.id)}
        onError={(error) => void copyFailed.run(error)}
        help={
          keysShownOnce
            ? t('token.keyHidden')
            : shown === null && t('token.keyHelp', { variable: KEY_VARIABLE })
        }
        end={
          !keysShownOnce && (
            <LinkButton onClick={() => (shown === null ? void insert.run() : onShow(null))}>
              {t(shown === null ? 'token.insertKey' : 'token.removeKey')}
            </LinkButton>
          )
        }
      />
      <div role="alert" className="empty:hidden">
        {failure !== null && <Notice tone={errorTone(failure)}>{errorText(failure, t)}</Notice>}
      </div>
      {shown !== null && <Notice tone="warn">{t('token.keyInserted')}</Notice>}
    </>
  );
}

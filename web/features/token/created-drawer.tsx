/** The new token's key, once whole: the moment to keep it. */
import { Link, useRouter } from '@tanstack/react-router';
import { Code } from 'lucide-react';
import { useEffect } from 'react';
import { CopyField } from '@/components/copy-field.tsx';
import { Button, buttonVariants } from '@/components/ui/button.tsx';
import { Dialog, DrawerBody, DrawerContent, DrawerFoot, DrawerHead } from '@/components/ui/dialog.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { baseUrl } from './code-samples.ts';
import { CodeTabs } from './code-tabs.tsx';
import { callableModels, type Token } from './token.ts';

interface CreatedDrawerProps {
  token: Token;
  /** That the account may call, and that have a price for it. */
  models: readonly string[];
  onClose: () => void;
}

export function CreatedDrawer({ token, models, onClose }: CreatedDrawerProps) {
  const { t } = useTranslation();
  const { origin, keysShownOnce } = useBoot();
  const router = useRouter();
  const key = `sk-${token.key}`;
  const [model] = callableModels(token, models);
  // The row behind appears as soon as the token exists, not when the drawer closes.
  useEffect(() => void router.invalidate(), [router]);
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DrawerContent aria-describedby={undefined}>
        <DrawerHead title={t('token.resultTitle')} sub={token.name} />
        <DrawerBody data-form className="group/form" aria-label={t('token.resultTitle')}>
          <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
            <Notice tone={keysShownOnce ? 'warn' : 'ok'}>
              {t(keysShownOnce ? 'token.resultOnce' : 'token.resultLater')}
            </Notice>
            <CopyField label={t('token.resultKey')} value={key} />
            <CopyField label={t('token.baseUrl')} value={baseUrl(origin)} />
            <CodeTabs sample={{ origin, model: model ?? 'gpt-4o', streamed: true, key }} />
          </div>
        </DrawerBody>
        <DrawerFoot>
          <Button size="lg" onClick={onClose}>
            {t('token.resultList')}
          </Button>
          <Link
            to="/token/code/$id"
            params={{ id: String(token.id) }}
            search={true}
            replace
            state={true}
            className={buttonVariants({ variant: 'primary', size: 'lg', className: 'ml-auto' })}
          >
            <Code aria-hidden="true" />
            {t('token.codeTitle')}
          </Link>
        </DrawerFoot>
      </DrawerContent>
    </Dialog>
  );
}

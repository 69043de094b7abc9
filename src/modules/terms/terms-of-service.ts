/** The general user agreement of a gateway; `{site}` is its name. The operator can put his own in its place. */
import type { Text } from '../../core/errors.ts';

const zh = `
欢迎使用 {site}。本协议是您与 {site} 运营者（以下称“我们”）之间关于使用本站服务的约定。您注册、登录或使用本站，即表示您已阅读、理解并同意本协议以及《隐私协议》。如果您不同意，请不要使用本站。

# 一、服务内容
{site} 是人工智能模型接口的网关：它把您的请求转发给第三方模型服务商，把回答返回给您，并按用量从您的额度中扣费。模型由第三方提供，我们不训练这些模型，也不能决定它们的回答。

可用的模型、价格和分组以本站当前显示的为准，可能随上游服务商的变化而调整。

# 二、账号
您需要提供真实、有效的注册信息，并妥善保管密码、验证方式和 API 令牌。通过您的账号或令牌进行的操作，视为您本人的操作。

发现账号或令牌被他人使用时，请立即修改密码、禁用相关令牌，并联系我们。

您可以随时在个人设置中注销账号。注销后账号数据将被清除且无法恢复，未使用的额度随之失效，法律另有规定的除外。

# 三、额度与计费
每次调用按调用时的价格计费，计费明细可在日志中查看。失败且没有产生内容的调用不收费；已经产生的内容即使连接中断也按实际用量收费。

赠送的额度不能提现或转让。充值的额度除法律规定或因我们的原因无法继续提供服务外，不予退款。

如对扣费有异议，请在 30 日内向我们提出，并提供请求编号。

# 四、使用规范
使用本站时，您应当遵守所在地的法律法规和模型服务商的使用政策，不得：

利用本站生成、传播违法、侵权、欺诈、骚扰或危害他人的内容；

攻击、干扰本站或上游服务，绕过限制、计费或安全措施，批量注册账号或套取奖励；

未经我们书面同意转售、出租账号或令牌；

利用本站侵犯他人的知识产权、隐私或其他合法权益。

违反以上规范的，我们可以拒绝请求，暂停或终止相关账号，并在法律要求时向有关机关报告。

# 五、输入与输出
您对输入的内容负责，并保证有权使用。在法律和服务商条款允许的范围内，输出的内容由您使用。

人工智能生成的内容可能不准确、不完整或不合适。请在使用前自行判断，不要把它作为医疗、法律、金融等专业意见的唯一依据。依法需要标识为人工智能生成的内容，由您在发布时标识。

# 六、服务的中断与变更
我们会尽力保持服务稳定，但不保证服务不中断、无错误。因维护、上游故障、网络原因或不可抗力导致的中断，我们会尽快恢复。

我们可以调整、暂停或终止部分或全部服务；对您有重大影响的，会提前在本站公布。

# 七、责任限制
在法律允许的范围内，我们对因使用或无法使用本站造成的间接损失不承担责任；我们承担的责任总额以您在事件发生前三个月内实际支付的金额为限。法律规定不得限制的责任不受本条影响。

# 八、协议的修改
我们可以修改本协议，修改后的内容在本页公布后生效。您在此后继续使用本站，即表示接受修改后的协议。

# 九、适用法律与争议
本协议适用 {site} 运营者所在地的法律。发生争议时，双方应先协商解决；协商不成的，提交运营者所在地有管辖权的法院处理。

# 十、联系我们
对本协议有任何疑问，请通过本站公布的联系方式与我们联系。
`;

const en = `
Welcome to {site}. This agreement is between you and the operator of {site} ("we") and governs your use of this site. By registering, signing in or using the site you confirm that you have read and understood this agreement and the Privacy Agreement, and that you accept both. If you do not accept them, please do not use the site.

# 1. The service
{site} is a gateway to the interfaces of artificial intelligence models: it passes your requests on to third-party model providers, returns their answers to you, and charges your quota by use. The models belong to third parties; we do not train them and cannot decide what they answer.

The models, prices and groups that are offered are those that the site shows at present. They may change as providers change theirs.

# 2. Your account
You give true and valid details when you register, and you keep your password, your ways of verification and your API tokens safe. What is done through your account or your tokens counts as done by you.

When you notice that somebody else uses your account or a token, change the password and disable the token at once, and tell us.

You can delete your account at any time in your personal settings. Its data is then erased and cannot be restored, and quota that is left lapses, unless the law says otherwise.

# 3. Quota and charges
Each call is charged at the price of its time; the log shows how each charge was worked out. A call that failed without producing anything is free. What was produced is charged as used, also when the connection broke off.

Quota that was given as a gift can be neither paid out nor transferred. Quota that was bought is not refunded, except where the law demands it or where we cannot go on providing the service.

If you disagree with a charge, tell us within 30 days and name the request id.

# 4. Acceptable use
You follow the law that applies to you and the usage policies of the model providers. You do not:

create or spread content that is unlawful, infringing, fraudulent, harassing or harmful to others;

attack or disturb this site or the services behind it, get around limits, charges or security, or register accounts in bulk to collect rewards;

resell or rent out accounts or tokens without our written consent;

violate the intellectual property, the privacy or other rights of others.

Where these rules are broken, we may refuse requests, suspend or end accounts, and report to authorities where the law requires it.

# 5. Input and output
You are responsible for what you send and make sure that you have the right to use it. As far as the law and the providers' terms permit, what comes back is yours to use.

Content made by artificial intelligence can be wrong, incomplete or unsuitable. Judge it before you use it, and do not rely on it alone for medical, legal, financial or similar matters. Where the law requires such content to be labelled, labelling it is up to you when you publish it.

# 6. Interruption and change
We do our best to keep the service available, but we do not promise that it is free of interruption or error. After maintenance, failures of providers or networks, or events beyond our control, we restore it as soon as we can.

We may change, suspend or end the service in part or as a whole. Changes that matter much to you are announced on the site beforehand.

# 7. Liability
As far as the law permits, we are not liable for indirect loss from using the site or from being unable to use it, and our liability in total is limited to what you paid in the three months before the event. Liability that cannot be limited by law is not affected.

# 8. Changes to this agreement
We may change this agreement. A change takes effect when it is published on this page; by using the site after that you accept it.

# 9. Law and disputes
The law of the place where the operator of {site} is established applies. Disputes are to be settled by talking first; where that fails, they go to the competent court at that place.

# 10. Contact
For any question about this agreement, reach us by the means of contact that the site publishes.
`;

export const termsOfService: Text = { zh, en };

"""What an app may do in a browser: the same policy for the listener that serves it and for the lane that tries it.

The directives are those of Content Security Policy Level 3; the denied features are those of Permissions Policy.
"""

from typing import Final

SANDBOX: Final = "allow-scripts allow-same-origin allow-forms allow-modals allow-downloads allow-pointer-lock"
# For an app whose address shares its origin with others: it gets an origin of its own, and no storage.
OPAQUE_SANDBOX: Final = SANDBOX.replace("allow-same-origin ", "")
DENIED_FEATURES: Final = (
    "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), "
    "identity-credentials-get=(), local-fonts=(), magnetometer=(), microphone=(), midi=(), otp-credentials=(), "
    "payment=(), publickey-credentials-create=(), publickey-credentials-get=(), serial=(), storage-access=(), usb=()"
)
# What a page can also say of itself, in a <meta>; the other directives count in a header only.
PAGE_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "media-src 'self' data: blob:",
        "manifest-src 'self'",
        "connect-src 'none'",
        "worker-src 'none'",
        "frame-src 'none'",
        "object-src 'none'",
        "form-action 'none'",
        "base-uri 'none'",
    )
)


def content_security_policy(framed_by: str) -> str:
    """The header that an app is served with: it reaches nothing, and only pages of `framed_by` may frame it."""
    return f"{PAGE_POLICY}; sandbox {SANDBOX}; frame-ancestors {framed_by}"

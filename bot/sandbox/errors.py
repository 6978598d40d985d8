"""The errors that the sandbox answers, in the words of the real servers."""

from collections.abc import Mapping


class XrpcError(Exception):
    """A call that is answered with an error body: status, error name, message."""

    def __init__(self, status: int, error: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(f"{status} {error}: {message}")
        self.status = status
        self.error = error
        self.message = message
        self.headers = dict(headers or {})

    def body(self) -> dict[str, str]:
        """The JSON body of the answer."""
        return {"error": self.error, "message": self.message}


def invalid_request(message: str) -> XrpcError:
    """400 InvalidRequest, the answer to most of what a client can get wrong."""
    return XrpcError(400, "InvalidRequest", message)


def invalid_swap(what: str, cid: str | None) -> XrpcError:
    """400 InvalidSwap, which names the CID that is there."""
    return XrpcError(400, "InvalidSwap", f"{what} was at {cid or 'null'}")


def internal_error(status: int = 500) -> XrpcError:
    """The answer that tells nothing: 500 for a key that is taken, 502 for what the AppView could not digest."""
    return XrpcError(status, "InternalServerError", "Internal Server Error")


def not_authorized() -> XrpcError:
    """401 for a call about somebody else's repository."""
    return XrpcError(401, "AuthenticationRequired", "Authentication Required")

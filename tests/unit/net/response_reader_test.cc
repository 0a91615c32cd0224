// SPDX-License-Identifier: MIT
#include "net/response_reader.h"

#include <gtest/gtest.h>

#include "support/result_matchers.h"

namespace piship {
namespace {

struct Read {
  Status status;
  bool done = false;
  bool reusable = false;
  int code = 0;
  std::string body;
};

// Feeds `text` in pieces of `step` bytes and then, if asked, the end of the connection.
Read ReadAll(std::string_view text, std::size_t step, bool end = false,
             ResponseReader::Request request = ResponseReader::Request::kGet) {
  Read result;
  ResponseReader reader(
      request,
      [&](const ResponseHead& head) -> Status {
        result.code = head.status;
        return {};
      },
      [&](std::string_view bytes) -> Status {
        result.body.append(bytes);
        return {};
      });
  while (!text.empty() && result.status && !reader.done()) {
    result.status = reader.Feed(text.substr(0, step));
    text.remove_prefix(std::min(step, text.size()));
  }
  if (end && result.status) result.status = reader.FeedEnd();
  result.done = reader.done();
  result.reusable = reader.reusable();
  return result;
}

TEST(ResponseReader, ReadsTheSameInPiecesOfAnySize) {
  const std::string fixed = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
  const std::string chunked =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;ext=1\r\nhel\r\n2\r\nlo\r\n0\r\nTrailer: x\r\n\r\n";
  for (const std::string& text : {fixed, chunked}) {
    for (std::size_t step = 1; step <= text.size(); ++step) {
      const Read read = ReadAll(text, step);
      PISHIP_ASSERT_OK(read.status);
      EXPECT_TRUE(read.done);
      EXPECT_TRUE(read.reusable);
      EXPECT_EQ(read.body, "hello");
    }
  }
}

TEST(ResponseReader, ABodyWithoutLengthEndsWithTheConnection) {
  const Read read = ReadAll("HTTP/1.1 200 OK\r\n\r\nhello", 7, true);
  PISHIP_ASSERT_OK(read.status);
  EXPECT_TRUE(read.done);
  EXPECT_FALSE(read.reusable);
  EXPECT_EQ(read.body, "hello");
}

TEST(ResponseReader, EveryTruncationIsNoticed) {
  for (const std::string& text :
       {std::string("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
        std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")}) {
    for (std::size_t size = 0; size < text.size(); ++size) {
      const Read read = ReadAll(std::string_view(text).substr(0, size), 4096, true);
      PISHIP_EXPECT_ERROR(read.status, ErrorCode::kNetworkFailed);
    }
  }
}

TEST(ResponseReader, InterimResponsesArePassedOver) {
  const Read read =
      ReadAll("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No\r\n\r\n", 9);
  PISHIP_ASSERT_OK(read.status);
  EXPECT_EQ(read.code, 204);
  std::string endless;
  for (int i = 0; i < 20; ++i) endless += "HTTP/1.1 100 Continue\r\n\r\n";
  PISHIP_EXPECT_ERROR(ReadAll(endless, 4096).status, ErrorCode::kHttpFailed);
  PISHIP_EXPECT_ERROR(ReadAll("HTTP/1.1 101 Switching\r\n\r\n", 4096).status, ErrorCode::kHttpFailed);
}

TEST(ResponseReader, AnAnswerToConnectIsItsHeadAlone) {
  const Read read =
      ReadAll("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", 4096, false, ResponseReader::Request::kConnect);
  PISHIP_ASSERT_OK(read.status);
  EXPECT_TRUE(read.done);
}

TEST(ResponseReader, RefusesWhatIsNotHttp) {
  for (const std::string_view text :
       {"SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nNo colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n"}) {
    PISHIP_EXPECT_ERROR(ReadAll(text, 4096).status, ErrorCode::kHttpFailed);
    PISHIP_EXPECT_ERROR(ReadAll(text, 1).status, ErrorCode::kHttpFailed);
  }
}

TEST(ResponseReader, HeadersAndChunkHeadsAreBounded) {
  const std::string long_value = "HTTP/1.1 200 OK\r\nX: " + std::string(1'000'000, 'a');
  PISHIP_EXPECT_ERROR(ReadAll(long_value, 4096).status, ErrorCode::kHttpFailed);
  std::string many = "HTTP/1.1 200 OK\r\n";
  while (many.size() < 1'000'000) many += "X: y\r\n";
  PISHIP_EXPECT_ERROR(ReadAll(many, 4096).status, ErrorCode::kHttpFailed);
  const std::string chunk = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(1'000'000, 'a');
  PISHIP_EXPECT_ERROR(ReadAll(chunk, 4096).status, ErrorCode::kHttpFailed);
  const std::string trailer =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: " + std::string(1'000'000, 'a');
  PISHIP_EXPECT_ERROR(ReadAll(trailer, 4096).status, ErrorCode::kHttpFailed);
}

TEST(ResponseReader, ErrorsOfCallbacksComeBack) {
  ResponseReader reader(
      ResponseReader::Request::kGet, [](const ResponseHead&) -> Status { return {}; },
      [](std::string_view) -> Status { return Fail(ErrorCode::kDiskFull, "full"); });
  PISHIP_EXPECT_ERROR(reader.Feed("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), ErrorCode::kDiskFull);
}

}  // namespace
}  // namespace piship
